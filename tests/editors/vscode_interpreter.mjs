// An environment without the program, then one with it.
import fs from 'node:fs';

export default async (vscode) => {
  const { page } = vscode;
  const item = page.locator('.statusbar-item', { hasText: 'Postil' }).first();
  await vscode.open('pay.py');
  await vscode.until('that it is missing', async () => (await item.innerHTML()).includes('not installed here'));
  console.log('ok   an environment without it');
  fs.writeFileSync(process.env.CHOSEN, process.env.PYTHON);
  await page.locator('.view-lines', { hasText: '⚖1' }).first().waitFor();
  console.log('ok   another environment is chosen, and its server started');
};
