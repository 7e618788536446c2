// Other clients are here: the person is told once, chooses, and finds the command in a terminal.
export default async (vscode) => {
  const { page } = vscode;
  const offer = page.locator('.notification-list-item', { hasText: 'claude-code' });
  await offer.waitFor();
  await vscode.shot('offer');
  await offer.locator('.monaco-button', { hasText: 'Show what to run' }).click();
  await vscode.rows('codex').first().click(); // not that one
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).first().click();
  const terminal = page.locator('.terminal-wrapper .xterm-rows').first();
  await vscode.until('the command', async () => (await terminal.textContent().catch(() => '')).includes('install claude-code'));
  await vscode.shot('terminal');
  console.log('ok   the command is typed, for the person to run it');
  await page.reload();
  await page.locator('.statusbar-item', { hasText: 'Postil' }).first().waitFor();
  await vscode.open('pay.py');
  await page.locator('.view-lines', { hasText: '⚖1' }).first().waitFor();
  await page.waitForTimeout(3000);
  if (await offer.count()) throw new Error('it was said again');
  console.log('ok   it is not said again');
};
