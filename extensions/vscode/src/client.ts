// The language client: started once, started again when it is asked for, and silent while it is not running.
import * as vscode from 'vscode';
import type { LanguageClient, LanguageClientOptions } from 'vscode-languageclient/node';
import { find, isExecutable, NotFound, version, type Found, type Machine } from './find';
import type { Memory } from './tree';

const SURFACES = ['hover', 'lens', 'inlay', 'diagnostics', 'links', 'actions', 'symbols', 'navigation', 'completion'];
// Links that a hover may hold: to what shows something, never to what changes it.
const LINKED = ['postil.history', 'postil.source', 'postil.mute', 'postil.showMemories'];
// What the server stores; in a folder that is not trusted none of it is.
const STORING = new Set(['remember', 'confirm', 'correct', 'supersede', 'forget', 'wrong', 'keep', 'promote', 'dismiss', 'accept', 'reject']
  .map((name) => `postil.${name}`));
// The server is started again by itself so often, within three minutes.
const MOST_RESTARTS = 3;
// Milliseconds in which a server has to answer first.
const PATIENCE = 30_000;

type Protocol = typeof import('./protocol.js');

/** What is used of the Python extension. */
interface Environments {
  getActiveEnvironmentPath(): { path: string };
  readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

/** How the server is. `failing`: it runs, and cannot read what it should show. `message` is for a person. */
export interface State { readonly name: 'starting' | 'running' | 'missing' | 'ended' | 'failing'; readonly message: string }

export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly turned = new vscode.EventEmitter<void>();
  private readonly parts: vscode.Disposable[] = [this.changed, this.turned];
  private ends: number[] = [];
  private isWatchingPython = false;
  private turn = Promise.resolve();
  /** The server that was found. */
  found: Found | undefined;
  state: State = { name: 'starting', message: '' };
  /** Something that is shown may be different now. */
  readonly onDidChange = this.changed.event;
  readonly onDidChangeState = this.turned.event;

  constructor(private readonly log: vscode.LogOutputChannel, private readonly home: string, private readonly showMemories: (ids: string[]) => Promise<void>) {}

  /** Find the server and start it; what keeps it from starting is said, with a way out. */
  start(): Promise<void> {
    return this.inTurn(() => this.begin());
  }

  restart(): Promise<void> {
    return this.inTurn(async () => {
      this.ends = [];
      await this.stop();
      await this.begin();
    });
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) await client.stop();
  }

  /** One after the other: a setting can change while the server of the one before is still starting. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => {
      this.log.error(String(error));
      this.become('ended', vscode.l10n.t('The server of Postil did not start.'));
    });
    return this.turn;
  }

  private async begin(): Promise<void> {
    this.become('starting');
    const setting = this.setting();
    // While the programs are asked for their version, which takes longer.
    const loading = import('./protocol.js');
    try {
      this.found = await find(setting, await this.machine());
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      this.found = undefined;
      this.log.error(error.message);
      this.become('missing', error.message);
      this.changed.fire();
      // What a person set and is wrong is told at once; what nobody set waits in the status bar.
      if (setting) void vscode.commands.executeCommand('postil.setup');
      return;
    }
    this.log.info(`postil ${this.found.version}: ${this.found.command}`);
    const protocol = await loading;
    const client = this.client = new protocol.LanguageClient('postil', 'Postil', { command: this.found.command, args: ['lsp'] }, this.options(protocol));
    client.onDidChangeState(({ newState }) => {
      if (newState === protocol.State.Running && client === this.client) this.become('running');
    });
    client.onNotification('postil/changed', () => { this.changed.fire(); });
    await Promise.race([client.start(), late()]);
    this.changed.fire();
  }

  /** Tell the server which surfaces are on now. */
  async configure(): Promise<void> {
    if (this.client?.isRunning()) await this.client.sendNotification('workspace/didChangeConfiguration', { settings: { postil: surfaces() } });
  }

  /** Ask the server to run a command of its own; undefined while it is not running, or where it may not store.
   * What goes wrong the server has told by then: it is logged here. */
  async run<Answer>(command: string, ...given: unknown[]): Promise<Answer | undefined> {
    if (!this.client?.isRunning() || !this.allows(command)) return undefined;
    try {
      return await this.send<Answer>(command, given);
    } catch (error) {
      this.log.warn(`${command}: ${String(error)}`);
      return undefined;
    }
  }

  /** The memories of a file, or of its project. */
  list(uri: vscode.Uri, all: boolean): Promise<readonly Memory[]> {
    return this.ask('postil.list', { uri: uri.toString(), all });
  }

  /** What waits for a person. */
  proposals(): Promise<readonly Memory[]> {
    return this.ask('postil.proposals', { uris: projects().map(({ uri }) => uri.toString()) });
  }

  /** Some memories by their ids; those that are gone are left out. */
  memories(ids: readonly string[]): Promise<readonly Memory[]> {
    return this.ask('postil.memories', { ids });
  }

  /** Whether a command may run in this folder; the person is told if not. */
  allows(command: string): boolean {
    if (vscode.workspace.isTrusted || !STORING.has(command)) return true;
    void vscode.window.showWarningMessage(vscode.l10n.t('Postil stores nothing in a folder that is not trusted.'));
    return false;
  }

  dispose(): void {
    this.parts.forEach((part) => { part.dispose(); });
    void this.stop();
  }

  private send<Answer>(command: string, given: unknown[]): Promise<Answer> {
    if (!this.client) throw new Error('the server does not run');
    return this.client.sendRequest<Answer>('workspace/executeCommand', { command, arguments: given });
  }

  /** Rows for something that is shown all the time: that they cannot be had is a state, not a message each time. */
  private async ask(command: string, argument: unknown): Promise<readonly Memory[]> {
    if (!this.client?.isRunning()) return [];
    try {
      const { rows } = await this.send<{ rows: Memory[] }>(command, [argument]);
      if (this.state.name === 'failing') this.become('running');
      return rows;
    } catch (error) {
      this.log.warn(`${command}: ${String(error)}`);
      if (this.client.isRunning()) this.become('failing', error instanceof Error ? error.message : String(error));
      return [];
    }
  }

  private become(name: State['name'], message = ''): void {
    this.state = { name, message };
    void vscode.commands.executeCommand('setContext', 'postil.state', name);
    this.turned.fire();
  }

  /** The program that a person set; what a folder sets counts only once it is trusted. */
  private setting(): string {
    const told = vscode.workspace.getConfiguration('postil').inspect<string>('server.command');
    const folder = vscode.workspace.isTrusted ? told?.workspaceFolderValue ?? told?.workspaceValue : undefined;
    return folder ?? told?.globalValue ?? '';
  }

  private async machine(): Promise<Machine> {
    return {
      platform: process.platform, home: this.home, path: process.env.PATH ?? '',
      python: await this.activePython(), isExecutable, version,
    };
  }

  /** The interpreter that the Python extension has chosen; it is asked only where it is there. */
  private async activePython(): Promise<string | undefined> {
    const extension = vscode.extensions.getExtension<{ environments: Environments }>('ms-python.python');
    if (!extension) return undefined;
    try {
      const { environments } = await extension.activate();
      if (!this.isWatchingPython) {
        this.isWatchingPython = true;
        this.parts.push(environments.onDidChangeActiveEnvironmentPath(() => { if (!this.setting()) void this.restart(); }));
      }
      return environments.getActiveEnvironmentPath().path;
    } catch (error) {
      this.log.warn(`the Python extension does not tell its interpreter: ${String(error)}`);
      return undefined;
    }
  }

  private options({ CloseAction, ErrorAction, RevealOutputChannelOn }: Protocol): LanguageClientOptions {
    const running = <Value>(next: () => Value): Value | undefined => (this.client?.isRunning() ? next() : undefined);
    return {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { commandLinks: true, notify: true, ...surfaces() },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: this.mayRestart() ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true }),
      },
      middleware: {
        executeCommand: (command, given, next) => {
          if (command === 'postil.showMemories') return this.showMemories(given[0] as string[]);
          return this.allows(command) ? next(command, given) as unknown : undefined;
        },
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

  /** The server ended: it is started again, but not for ever. */
  private mayRestart(): boolean {
    const now = Date.now();
    this.ends = [...this.ends.filter((at) => now - at < 180_000), now];
    if (this.ends.length <= MOST_RESTARTS) return true;
    this.become('ended', vscode.l10n.t('The server of Postil ended again and again.'));
    return false;
  }
}

/** Fails when a server does not answer. */
const late = (): Promise<never> =>
  new Promise((_, reject) => setTimeout(() => { reject(new Error('the server does not answer')); }, PATIENCE).unref());

/** A file in each folder, whether it exists or not: a project is known by where its files lie. Without a folder, what is open. */
export function projects(): { name: string; uri: vscode.Uri }[] {
  const all = vscode.workspace.workspaceFolders ?? [];
  if (all.length) return all.map(({ name, uri }) => ({ name, uri: vscode.Uri.joinPath(uri, 'README.md') }));
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === 'file' ? [{ name: '', uri }] : [];
}

/** Each surface, and whether it is on. */
function surfaces(): Record<string, boolean | undefined> {
  const settings = vscode.workspace.getConfiguration('postil');
  return Object.fromEntries(SURFACES.map((name) => [name, settings.get<boolean>(name)]));
}
