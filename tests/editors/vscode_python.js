// What is asked of the Python extension: the environment that a person chose, here the content of a file.
const fs = require('node:fs');
const vscode = require('vscode');

exports.activate = () => {
  const changed = new vscode.EventEmitter();
  fs.watchFile(process.env.CHOSEN, { interval: 200 }, () => changed.fire());
  return { environments: {
    getActiveEnvironmentPath: () => ({ path: fs.readFileSync(process.env.CHOSEN, 'utf8') }),
    onDidChangeActiveEnvironmentPath: changed.event,
  } };
};
