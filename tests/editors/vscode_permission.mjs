// A store that may not be read, and then one that may not be written; a folder whose files may not be read.
import fs from 'node:fs';
import path from 'node:path';
import { servers } from './servers.mjs';
import { remember } from './remember.mjs';

export default async (vscode) => {
  const { page } = vscode;
  const done = (what) => console.log(`ok   ${what}`);
  const item = page.locator('.statusbar-item', { hasText: 'Postil' }).first();
  const said = (text) => page.locator('.notification-list-item', { hasText: text }).first();
  await item.waitFor();
  await vscode.open('pay.py');
  await vscode.until('the trouble in the status bar', async () => /cannot answer/.test(await item.innerHTML()));
  const [server] = servers();
  await item.click();
  await said('cannot be').waitFor();
  await vscode.shot('unreadable');
  if (servers()[0] !== server) throw new Error('it was started again');
  done('a store that may not be read is told, with a way out');

  fs.chmodSync(process.env.STORE, 0o500);
  fs.readdirSync(process.env.STORE).forEach((name) => fs.chmodSync(path.join(process.env.STORE, name), 0o400));
  await said('cannot be').locator('.monaco-button', { hasText: 'Try again' }).click();
  await page.locator('.view-lines', { hasText: '⚖1' }).first().waitFor();
  await page.locator('.statusbar-item', { hasText: 'Postil 1' }).waitFor();
  done('once it may be read, it is');

  await remember(vscode, 'Amounts are whole cents', 'fact');
  await said('cannot be opened for writing').waitFor();
  await vscode.shot('unwritable');
  done('a store that may not be written is told');
};
