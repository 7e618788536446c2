// Memories that several parts show: asked for once after something changed, whether a view is open or not.
import * as vscode from 'vscode';
import type { Client } from './client';
import type { Memory } from './tree';

// Milliseconds in which changes come together.
export const PAUSE = 200;

export class Watched implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly parts: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;
  readonly onDidChange = this.changed.event;
  rows: readonly Memory[] = [];

  constructor(private readonly load: () => Promise<readonly Memory[]>, ...events: vscode.Event<unknown>[]) {
    this.parts = [this.changed, ...events.map((event) => event(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.ask(), PAUSE);
    }))];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.parts.forEach((part) => { part.dispose(); });
  }

  private async ask(): Promise<void> {
    const turn = ++this.asked;
    const rows = await this.load();
    if (turn !== this.asked) return; // something changed meanwhile
    this.rows = rows;
    this.changed.fire();
  }
}

/** The memories of the file that is being looked at, in the order of their lines. */
export function ofActiveFile(client: Client): Watched {
  const load = async (): Promise<readonly Memory[]> => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri?.scheme === 'file' ? client.list(uri, false) : [];
  };
  return new Watched(load, client.onDidChange, vscode.window.onDidChangeActiveTextEditor);
}

/** What waits for a person. */
export const proposals = (client: Client): Watched => new Watched(() => client.proposals(), client.onDidChange, vscode.workspace.onDidChangeWorkspaceFolders);
