// Tests with the editor's own API, in its real extension host. See `run_in_extension_host`.
const assert = require('node:assert/strict');
const vscode = require('vscode');

const run = (name, ...given) => vscode.commands.executeCommand(name, ...given);
const settings = () => vscode.workspace.getConfiguration('postil');
const OF_THE_MACHINE = vscode.ConfigurationTarget.Global;

async function until(what, check) {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    const found = await check();
    if (found && found.length !== 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never seen: ${what}`);
}

let document;
const words = (cards) => cards.flatMap((card) => card.contents).map((part) => part.value).join('\n');
const hover = (line, column) => run('vscode.executeHoverProvider', document.uri, new vscode.Position(line, column));
const lenses = () => run('vscode.executeCodeLensProvider', document.uri, 50);
const inlays = () => run('vscode.executeInlayHintProvider', document.uri, new vscode.Range(0, 0, 99, 0));

const TESTS = {
  'it is activated, and answers': async () => {
    await vscode.extensions.getExtension('postil.postil').activate();
    const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'pay.py');
    document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    await until('a mark', inlays);
  },
  'a hover behind emoji is about the word under it': async () => {
    const at = document.positionAt(document.getText().lastIndexOf('charge'));
    const [card] = await until('a card', () => hover(at.line, at.character + 1));
    assert.match(words([card]), /Retries are off/);
    assert.match(words([card]), /command:postil\.showMemories/);
    assert.equal(document.getText(card.range), 'charge');
  },
  'marks stand at the ends of their lines': async () => {
    const found = await inlays();
    assert.deepEqual(found.map(({ position, label }) => [position.line, position.character, label]), [[0, 17, '⚖1']]);
  },
  'lenses come and go with their setting': async () => {
    assert.deepEqual(await lenses(), []);
    await settings().update('lens', true, OF_THE_MACHINE);
    const [lens] = await until('a lens', lenses);
    assert.match(lens.command.title, /^1 decision/);
    await settings().update('lens', false, OF_THE_MACHINE);
    await until('no lens', async () => (await lenses()).length === 0);
  },
  'marks go and come with their setting': async () => {
    await settings().update('inlay', false, OF_THE_MACHINE);
    await until('no mark', async () => (await inlays()).length === 0);
    await settings().update('inlay', undefined, OF_THE_MACHINE);
    await until('a mark', inlays);
  },
  'a citation is a link, and is offered': async () => {
    const links = await until('a link', () => run('vscode.executeLinkProvider', document.uri));
    assert.match(document.getText(links[0].range), /m-[0-9a-z]{12}/);
    const line = document.lineCount - 2;
    const offered = await run('vscode.executeCompletionItemProvider', document.uri, new vscode.Position(line, '# see ['.length), '[');
    assert.ok(offered.items.some(({ label }) => /^\[m-/.test(label.label ?? label)), JSON.stringify(offered.items.slice(0, 3)));
  },
  'actions at a line': async () => {
    const actions = await run('vscode.executeCodeActionProvider', document.uri, new vscode.Range(0, 4, 0, 10));
    const titles = actions.map(({ title }) => title).join('; ');
    for (const wanted of ['Remember', 'Forget', 'Still true']) assert.match(titles, new RegExp(wanted, 'i'));
  },
  'a hint where the code of a memory has changed': async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, 0, 17), 'def charge(): return 1');
    await vscode.workspace.applyEdit(edit);
    await document.save();
    const [hint] = await until('a hint', () => vscode.languages.getDiagnostics(document.uri));
    assert.equal(hint.source, 'postil');
    assert.equal(hint.severity, vscode.DiagnosticSeverity.Hint);
    await run('undo');
    await document.save();
  },
  'every command of the manifest is there': async () => {
    const { commands } = vscode.extensions.getExtension('postil.postil').packageJSON.contributes;
    const there = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(commands.map(({ command }) => command).filter((name) => !there.has(name)), []);
  },
  'a citation is put at the cursor': async () => {
    const editor = await vscode.window.showTextDocument(document);
    const last = document.lineCount - 1;
    editor.selection = new vscode.Selection(last, 0, last, 0);
    const [id] = /m-[0-9a-z]{12}/.exec(document.getText());
    await run('postil.row.cite', { id, what: 'Retries are off' });
    assert.equal(document.lineAt(last).text, `[${id}]`);
    await run('undo');
  },
  'a memory is confirmed, replaced and forgotten': async () => {
    const [id] = /m-[0-9a-z]{12}/.exec(document.getText());
    await run('postil.row.confirm', { id });
    await run('postil.forget', { memory: id });
    await until('no mark', async () => (await inlays()).length === 0);
  },
};

exports.run = async () => {
  let failed = 0;
  for (const [name, test] of Object.entries(TESTS)) {
    try {
      await test();
      console.log(`ok   ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAIL ${name}: ${error.stack}`);
      if (!document) break;
    }
  }
  if (failed) throw new Error(`${failed} failed`);
};
