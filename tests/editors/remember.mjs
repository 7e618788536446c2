// Remember the selection, as a person does: the statement, its kind, its reason.
export async function remember(vscode, what, kind, why = '') {
  await vscode.command('Postil: Remember Selection');
  await vscode.input(what);
  await vscode.page.keyboard.press('Enter');
  await vscode.rows(kind).first().click();
  const title = vscode.page.locator('.quick-input-title');
  await vscode.until('the reason is asked for', async () => (await title.textContent()).includes('Why'));
  await vscode.input(why);
  await vscode.page.keyboard.press('Enter');
}
