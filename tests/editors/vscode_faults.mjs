// The program is not there, then it is, then it is ended again and again.
import fs from 'node:fs';
import { servers } from './servers.mjs';

export default async (vscode) => {
  const { page } = vscode;
  const item = page.locator('.statusbar-item', { hasText: 'Postil' }).first();
  await item.waitFor();
  await vscode.open('pay.py');
  await item.click();
  const message = page.locator('.notification-list-item', { hasText: 'never installed without you' });
  await message.waitFor();
  await vscode.shot('missing');
  console.log('ok   a missing program is told, with a way out');
  fs.symlinkSync(process.env.POSTIL, process.env.LATER);
  await message.locator('.monaco-button', { hasText: 'Try again' }).click();
  await page.locator('.view-lines', { hasText: '⚖1' }).first().waitFor();
  console.log('ok   once it is there, it is found');
  let ended = 0;
  for (let turn = 0; turn < 6; turn++) {
    const [pid] = await vscode.until('a server or a message', async () => {
      const found = servers();
      return found.length ? found : (await page.locator('.statusbar-item[aria-label*="again and again"]').count()) ? [0] : undefined;
    }, 30_000);
    if (!pid) break;
    process.kill(pid, 'SIGKILL');
    ended++;
    await vscode.until('it is gone', () => !servers().includes(pid));
    await page.waitForTimeout(1500);
  }
  if (ended !== 4) throw new Error(`started again ${ended - 1} times`);
  await page.waitForTimeout(3000);
  if (servers().length) throw new Error('it was started again');
  await vscode.shot('ended');
  console.log('ok   it is not started for ever');
};
