// A first day with the extension. Environment: POSTIL (its program).
import { execFileSync } from 'node:child_process';
import { remember } from './remember.mjs';

export default async (vscode) => {
  const { page } = vscode;
  const done = (what) => console.log(`ok   ${what}`);
  await page.locator('.statusbar-item', { hasText: 'Postil' }).waitFor();
  await vscode.open('pay.py');
  const lines = page.locator('.view-lines');
  await lines.filter({ hasText: '⚖1' }).first().waitFor();
  await vscode.shot('marks');
  done('a mark at the end of the line');

  await page.locator('.statusbar-item', { hasText: 'Postil 1' }).waitFor();
  done('the status bar counts');
  await page.locator('.codelens-decoration a', { hasText: '1 decision' }).first().click();
  await vscode.rows('Still true').first().waitFor();
  await page.waitForTimeout(500); // it fades in
  await vscode.shot('lens');
  await page.keyboard.press('Escape');
  done('a lens shows its memory and what can be done with it');

  await vscode.goto(5, 26);
  await vscode.command('Show or Focus Hover');
  await page.locator('.monaco-hover', { hasText: 'Retries are off' }).first().waitFor();
  await vscode.shot('hover');
  done('hover behind emoji');
  await page.locator('.monaco-hover a', { hasText: 'change' }).first().click();
  await vscode.rows('Replace by').first().click();
  const told = page.locator('.quick-input-widget input[type=text]').first();
  await vscode.until('the old statement', async () => (await told.inputValue()).includes('Retries are off'));
  await vscode.input('Retries are off but for reads');
  await page.keyboard.press('Enter');
  await vscode.until('the reason is asked for', async () => (await page.locator('.quick-input-title').textContent()).includes('Why'));
  await page.keyboard.press('Enter');
  await page.locator('.notification-list-item', { hasText: 'but for reads' }).waitFor();
  done('replaced from the hover');

  execFileSync(process.env.POSTIL, ['remember', 'Call it once', '--kind', 'rule', '--where', 'pay.py#charge'],
    { cwd: process.env.PROJECT });
  await lines.filter({ hasText: '§1' }).first().waitFor({ timeout: 10_000 });
  await vscode.shot('live');
  done('the write of an agent appears');

  await vscode.goto(4, 1);
  await page.keyboard.press('Shift+End');
  await vscode.command('Postil: Remember Selection');
  const box = page.locator('.quick-input-widget input[type=text]').first();
  await vscode.until('the statement is filled in', async () => (await box.inputValue()).includes('Amounts are whole cents'));
  await vscode.shot('remember');
  await page.keyboard.press('Escape');
  await remember(vscode, 'Amounts are whole cents', 'rule', 'floats lose money');
  await page.locator('.notification-list-item', { hasText: 'Remembered' }).waitFor();
  done('the selection is remembered');

  await vscode.command('Postil: Search Memories');
  await vscode.input('how are amounts stored');
  await vscode.rows('Amounts are whole cents').first().waitFor();
  await vscode.shot('search');
  done('search while typing');
  await vscode.rows('Amounts are whole cents').first().click();
  await page.locator('.tab.active', { hasText: 'm-' }).waitFor();
  await vscode.shot('page');
  done('a memory opens as a page');

  await vscode.open('pay.py');
  await vscode.command('Postil: Hide Memories for 30 Minutes');
  await lines.filter({ hasText: '⚖1' }).first().waitFor({ state: 'detached' });
  await vscode.command('Postil: Show Hidden Memories Again');
  await lines.filter({ hasText: '⚖1' }).first().waitFor();
  done('hidden and shown again');

  await page.locator('.activitybar .action-item a[aria-label*="Postil"]').first().click();
  const tree = page.locator('.part.sidebar .monaco-list-row');
  await tree.filter({ hasText: 'Retries are off' }).first().waitFor();
  await tree.filter({ hasText: 'Rules' }).first().waitFor();
  done('the views show the file and the project');
  execFileSync(process.env.PYTHON, ['-c', process.env.PROPOSE], { cwd: process.env.PROJECT });
  const proposal = tree.filter({ hasText: 'Ask before a refund' }).first();
  await proposal.waitFor();
  await vscode.shot('views');
  await proposal.hover();
  await proposal.locator('.action-label.codicon-check').click();
  await page.locator('.notification-list-item', { hasText: 'Accepted' }).waitFor();
  await tree.filter({ hasText: 'Ask before a refund' }).nth(0).waitFor();
  done('a proposal appears in the queue and is accepted');

  await vscode.command('Welcome: Open Walkthrough');
  await vscode.rows('Memory in the margin').first().click();
  await page.locator('.gettingStartedContainer', { hasText: 'Remember something' }).first().waitFor();
  await vscode.shot('walkthrough');
  done('the walkthrough');

  await vscode.open('pay.py');
  await vscode.command('Postil: Restart Server');
  const card = page.locator('.monaco-hover', { hasText: 'Retries are off' }).first();
  await vscode.until('a hover of the new server', async () => {
    await vscode.goto(1, 6);
    await vscode.command('Show or Focus Hover');
    return card.waitFor({ timeout: 3000 }).then(() => true, () => false);
  });
  done('restarted');
  await page.keyboard.press('Escape');

  await vscode.goto(6, 1);
  await vscode.command('Postil: Insert Citation');
  await vscode.input('retries');
  await vscode.rows('Retries are off').first().click();
  await lines.filter({ hasText: /\[m-[0-9a-z]{12}\]/ }).first().waitFor();
  done('a citation is put in');
};
