// The servers that VS Code lists: ours is there, and starts.
export default async (vscode) => {
  const { page } = vscode;
  await vscode.command('MCP: List Servers');
  await vscode.rows('postil').first().waitFor();
  await vscode.shot('listed');
  await vscode.rows('postil').first().click();
  await vscode.rows('Start Server').first().click();
  const trust = page.locator('.monaco-button', { hasText: 'Trust' }).first();
  await trust.click({ timeout: 5000 }).catch(() => {}); // it asks only for some
  await vscode.until('the server runs', async () => {
    await page.keyboard.press('Escape');
    await vscode.command('MCP: List Servers');
    await page.waitForTimeout(500);
    const text = await vscode.rows('postil').first().textContent();
    return text.includes('Running');
  });
  await vscode.shot('running');
};
