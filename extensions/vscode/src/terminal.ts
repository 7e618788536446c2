// A terminal with a command in it.
import * as vscode from 'vscode';

/** Type a command, for the person to press Enter. */
export function typed(command: string): void {
  const terminal = vscode.window.createTerminal('Postil');
  terminal.show();
  terminal.sendText(command, false);
}
