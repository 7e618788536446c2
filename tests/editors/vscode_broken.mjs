// What breaks while a person works: the setting of the program, its interpreter, the store.
import fs from 'node:fs';
import path from 'node:path';
import { remember } from './remember.mjs';

export default async (vscode) => {
  const { page } = vscode;
  const done = (what) => console.log(`ok   ${what}`);
  const mark = page.locator('.view-lines', { hasText: '⚖1' }).first();
  const said = (text) => page.locator('.notification-list-item', { hasText: text }).first();
  const set = (command) => fs.writeFileSync(path.join(process.env.BOX, 'data/Machine/settings.json'),
    JSON.stringify({ 'postil.server.command': command }));
  await vscode.open('pay.py');
  await mark.waitFor();

  set('/nowhere/postil');
  await said('/nowhere/postil is not there').waitFor();
  await vscode.shot('setting');
  await mark.waitFor({ state: 'detached' });
  done('a wrong setting is told at once');
  const script = path.join(process.env.BOX, 'postil');
  fs.writeFileSync(script, '#!/gone/python\n', { mode: 0o755 });
  set(script);
  await said('does not start').waitFor();
  await vscode.shot('interpreter');
  done('a program whose interpreter is gone is told');
  set(process.env.POSTIL);
  await mark.waitFor();
  await page.locator('.statusbar-item', { hasText: 'Postil 1' }).waitFor();
  done('with the setting mended all is there again');

  await vscode.command('Notifications: Clear All Notifications');
  fs.rmSync(process.env.STORE, { recursive: true });
  await said('was removed').waitFor();
  await mark.waitFor({ state: 'detached' });
  await vscode.shot('store');
  await vscode.goto(4, 1);
  await page.keyboard.press('Shift+End');
  await remember(vscode, 'Amounts are whole cents', 'fact');
  await said('Remembered').waitFor();
  done('a store that was removed is told, and what is remembered then is kept');
};
