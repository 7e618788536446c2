// Two folders, high contrast, no mouse: what a person does who only has keys and perhaps a screen reader.
export default async (vscode) => {
  const { page } = vscode;
  const done = (what) => console.log(`ok   ${what}`);
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const status = page.locator('.statusbar-item', { hasText: 'Postil' }).first();
  await status.waitFor();
  await vscode.open('book.py');
  await vscode.until('the count is spoken', async () => (await status.innerHTML()).includes('Postil: 2 memories of this file'));
  done('the status bar says to a screen reader what it shows');

  await focus(vscode, 'This Project');
  await focus(vscode, 'This Project'); // the first time there was no row yet that could have it
  const tree = page.locator('.part.sidebar .monaco-list-row');
  await tree.filter({ hasText: 'Books are closed' }).last().waitFor();
  await vscode.until('both folders', async () => {
    const labels = await tree.evaluateAll((rows) => rows.map((row) => row.textContent));
    return labels.some((one) => one.startsWith('shop')) && labels.some((one) => one.startsWith('bank'));
  });
  await vscode.shot('contrast');
  const spoken = await tree.evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')));
  if (!spoken.some((one) => one?.startsWith('rule, Books are closed at noon'))) throw new Error(spoken.join('\n'));
  done('the project view groups by folder, and its rows are spoken');

  await walk(vscode, 'Entries have two signatures');
  await press('Delete');
  await page.locator('.notification-list-item', { hasText: 'Forgotten' }).waitFor();
  await tree.filter({ hasText: 'Entries have two signatures' }).first().waitFor({ state: 'detached' });
  done('forgotten by a key');

  await focus(vscode, 'Proposals');
  await tree.filter({ hasText: 'Ask before a refund' }).first().waitFor();
  await walk(vscode, 'Ask before a refund');
  await press('Control+Enter');
  await page.locator('.notification-list-item', { hasText: 'Accepted' }).waitFor();
  done('accepted by a key');

  await vscode.open('book.py');
  await vscode.command('Postil: Confirm, Replace or Forget a Memory');
  await vscode.rows('Still true').first().waitFor();
  await press('ArrowDown', 'Enter');
  await page.locator('.notification-list-item', { hasText: 'Still true' }).waitFor();
  await vscode.shot('gutter');
  done('confirmed from the palette');
};

/** The list of a view has the focus. */
async function focus({ page, input }, view) {
  await page.keyboard.press('F1');
  await input.call({ page }, `>Postil: Focus on ${view} View`);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: `Focus on ${view} View` }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.part.sidebar .pane', { hasText: view }).locator('.monaco-list-row').first().waitFor();
}

/** Go down a list until the row with the text has the focus. */
async function walk({ page, until }, text) {
  await until.call({ page }, `the focus on ${text}`, async () => {
    if (await page.locator('.part.sidebar .monaco-list:focus-within .monaco-list-row.focused', { hasText: text }).count()) return true;
    await page.keyboard.press('ArrowDown');
    return false;
  });
  await page.keyboard.press('Space');
}
