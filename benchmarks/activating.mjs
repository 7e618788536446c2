// What VS Code says of its extensions' activation, in milliseconds: one JSON object, by the extension's id.
const WANTED = { 'postil.postil': 'Postil: memory in the margin', 'vscode.emmet': 'Emmet' };

export default async (vscode) => {
  const { page } = vscode;
  await page.locator('.statusbar-item', { hasText: 'Postil' }).first().waitFor();
  await vscode.open('pay.py');
  const told = await vscode.until('all times', async () => {
    // The list is of the moment in which it is opened.
    await vscode.open('pay.py');
    await vscode.command('Developer: Show Running Extensions');
    await page.waitForTimeout(2000);
    const rows = await page.locator('.runtime-extensions-editor .extension').allTextContents();
    const found = Object.entries(WANTED).map(([id, name]) =>
      [id, rows.map((row) => row.startsWith(name) && /Activation: (\d+)ms/.exec(row)).find(Boolean)?.[1]]);
    return found.every(([, time]) => time) && Object.fromEntries(found.map(([id, time]) => [id, Number(time)]));
  });
  console.log(JSON.stringify(told));
};
