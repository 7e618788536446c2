// One conversation with the editor's own agent and a scripted model.
// PROMPTS: a JSON list of what the person says, one after the other.
import fs from 'node:fs';

const asked = () => {
  const file = process.env.SCRIPTED_MODEL_LOG;
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).length : 0;
};

export default async (vscode) => {
  const { page } = vscode;
  await vscode.command('Chat: Open Chat');
  const chat = page.locator('.interactive-input-part').first();
  await chat.waitFor();
  await choose(vscode, chat);
  for (const [turn, prompt] of JSON.parse(process.env.PROMPTS).entries()) {
    const before = asked();
    await page.locator('.interactive-input-part .monaco-editor').first().click();
    await page.keyboard.insertText(prompt);
    await page.keyboard.press('Enter');
    await vscode.until('the model is asked', () => asked() > before);
    await vscode.until('the answer is shown', async () => {
      // A tool of an MCP server is asked for once.
      const allow = page.locator('.interactive-session .monaco-button', { hasText: /^(Allow|Continue)/ }).first();
      if (await allow.isVisible()) await allow.click({ timeout: 1000 }).catch(() => {});
      // The rows lie in the page in any order.
      const last = page.locator('.interactive-session .monaco-list-row[data-last-element="true"]').first();
      return (await last.textContent({ timeout: 1000 }).catch(() => '')).includes('stub: ok');
    });
    await page.waitForTimeout(2000); // hooks of the turn's end
    await vscode.shot(`turn-${turn}`);
  }
};

// The provider's models are known only once the list of models was looked at.
async function choose(vscode, chat) {
  const { page } = vscode;
  const pick = chat.locator('.action-item, .chat-input-picker-item', { hasText: /Models|Auto|Scripted/ }).first();
  const ours = page.locator('.action-widget .monaco-list-row, .quick-input-list .monaco-list-row', { hasText: 'Scripted One' }).first();
  await vscode.until('a choice of models', async () => {
    await pick.click();
    await page.locator('.action-widget .monaco-list-row').first().waitFor();
    if (await ours.count()) return ours.click().then(() => true);
    await page.locator('.action-widget .monaco-list-row', { hasText: 'Manage Models' }).first().click();
    await page.waitForTimeout(2000);
    await page.keyboard.press('Escape');
    await page.locator('.codicon-close').last().click({ timeout: 3000 }).catch(() => {});
    return true;
  });
}
