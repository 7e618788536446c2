// The language client: started once, started again when it is asked for, and silent while it is not running.
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State, type LanguageClientOptions } from 'vscode-languageclient/node';
import { find, isExecutable, NotFound, version, type Found, type Machine } from './find';

const SURFACES = ['hover', 'lens', 'inlay', 'diagnostics', 'links', 'actions', 'symbols', 'navigation', 'completion'];
// Links that a hover may hold: to what shows something, never to what changes it.
const LINKED = ['postil.history', 'postil.source', 'postil.mute', 'postil.showMemories'];
// What the server stores; in a folder that is not trusted none of it is.
const STORING = new Set(['remember', 'confirm', 'correct', 'supersede', 'forget', 'wrong', 'keep', 'promote', 'dismiss', 'accept', 'reject']
  .map((name) => `postil.${name}`));
// The server is started again by itself so often, within three minutes.
const MOST_RESTARTS = 3;

export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly item: vscode.StatusBarItem;
  private readonly changed = new vscode.EventEmitter<void>();
  private ends: number[] = [];
  /** The server that was found. */
  found: Found | undefined;
  readonly onDidChange = this.changed.event;

  constructor(private readonly log: vscode.LogOutputChannel, private readonly home: string) {
    this.item = vscode.window.createStatusBarItem('postil', vscode.StatusBarAlignment.Left, 0);
    this.item.name = 'Postil';
    this.item.show();
    this.show('$(sync~spin) Postil', vscode.l10n.t('Postil is starting'), 'postil.log');
  }

  /** Find the server and start it; what keeps it from starting is said, with a way out. */
  async start(): Promise<void> {
    try {
      this.found = await find(this.setting(), await this.machine());
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      this.found = undefined;
      this.log.error(error.message);
      this.show('$(warning) Postil', `${error.message} ${vscode.l10n.t('Click to see what can be done.')}`, 'postil.setup');
      this.changed.fire();
      return;
    }
    this.log.info(`postil ${this.found.version}: ${this.found.command}`);
    this.client = new LanguageClient('postil', 'Postil', { command: this.found.command, args: ['lsp'] }, this.options());
    this.client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) this.show('$(bookmark) Postil', vscode.l10n.t('Postil {0} is running', this.found?.version ?? ''), 'postil.find');
    });
    this.client.onNotification('postil/changed', () => { this.changed.fire(); });
    try {
      await this.client.start();
    } catch (error) {
      this.log.error(String(error));
      this.show('$(error) Postil', vscode.l10n.t('The server did not start: see the log'), 'postil.log');
    }
    this.changed.fire();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) await client.stop();
  }

  async restart(): Promise<void> {
    this.ends = [];
    await this.stop();
    await this.start();
  }

  /** Ask the server to run a command of its own; undefined while it is not running, or where it may not store. */
  async run<Answer>(command: string, ...given: unknown[]): Promise<Answer | undefined> {
    if (!this.client?.isRunning() || !this.allows(command)) return undefined;
    return this.client.sendRequest<Answer>('workspace/executeCommand', { command, arguments: given });
  }

  /** Whether a command may run in this folder; the person is told if not. */
  allows(command: string): boolean {
    if (vscode.workspace.isTrusted || !STORING.has(command)) return true;
    void vscode.window.showWarningMessage(vscode.l10n.t('Postil stores nothing in a folder that is not trusted.'));
    return false;
  }

  dispose(): void {
    this.item.dispose();
    this.changed.dispose();
    void this.stop();
  }

  private show(text: string, tooltip: string, command: string): void {
    Object.assign(this.item, { text, tooltip, command });
  }

  /** The program that a person set; what a folder sets counts only once it is trusted. */
  private setting(): string {
    const told = vscode.workspace.getConfiguration('postil').inspect<string>('server.command');
    const folder = vscode.workspace.isTrusted ? told?.workspaceFolderValue ?? told?.workspaceValue : undefined;
    return folder ?? told?.globalValue ?? '';
  }

  private async machine(): Promise<Machine> {
    return {
      platform: process.platform, home: this.home, path: process.env['PATH'] ?? '',
      python: await activePython(), isExecutable, version,
    };
  }

  private options(): LanguageClientOptions {
    const running = <Value>(next: () => Value): Value | undefined => (this.client?.isRunning() ? next() : undefined);
    const settings = vscode.workspace.getConfiguration('postil');
    return {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { commandLinks: true, notify: true, ...Object.fromEntries(SURFACES.map((name) => [name, settings.get<boolean>(name)])) },
      synchronize: { configurationSection: 'postil' },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(),
      },
      middleware: {
        executeCommand: (command, given, next) => (this.allows(command) ? next(command, given) : undefined),
        provideHover: async (document, position, token, next) => {
          const card = await running(() => next(document, position, token));
          for (const part of card?.contents ?? []) {
            if (part instanceof vscode.MarkdownString) part.isTrusted = { enabledCommands: LINKED };
          }
          return card;
        },
        provideCodeLenses: (document, token, next) => running(() => next(document, token)),
        provideInlayHints: (document, range, token, next) => running(() => next(document, range, token)),
        provideCodeActions: (document, range, context, token, next) => running(() => next(document, range, context, token)),
        provideDocumentLinks: (document, token, next) => running(() => next(document, token)),
        provideCompletionItem: (document, position, context, token, next) => running(() => next(document, position, context, token)),
      },
    };
  }

  /** The server ended: start it again, but not for ever. */
  private closed(): { action: CloseAction; handled: boolean } {
    const now = Date.now();
    this.ends = [...this.ends.filter((at) => now - at < 180_000), now];
    if (this.ends.length <= MOST_RESTARTS) return { action: CloseAction.Restart, handled: true };
    this.show('$(error) Postil', vscode.l10n.t('The server ended again and again. Click for what can be done.'), 'postil.setup');
    return { action: CloseAction.DoNotRestart, handled: true };
  }
}

/** The interpreter that the Python extension has chosen; it is asked only where it is there. */
async function activePython(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<{ environments: { getActiveEnvironmentPath(): { path: string } } }>('ms-python.python');
  if (!extension) return undefined;
  try {
    return (await extension.activate()).environments.getActiveEnvironmentPath().path;
  } catch {
    return undefined; // another version of it: then the path has to do
  }
}
