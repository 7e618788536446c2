// A folder that the person does not trust: memories are shown, nothing is stored.
export default async (vscode) => {
  const { page } = vscode;
  await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).first().waitFor();
  await page.locator('.statusbar-item', { hasText: 'Postil' }).first().waitFor();
  await vscode.open('pay.py');
  await page.locator('.view-lines', { hasText: '⚖1' }).first().waitFor();
  console.log('ok   memories are shown');
  await vscode.command('Postil: Remember Selection');
  await page.locator('.notification-list-item', { hasText: 'not trusted' }).waitFor();
  await vscode.shot('restricted');
  console.log('ok   nothing is stored');
};
