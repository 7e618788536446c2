// Where the server is: what the person set, else the places in which tools are installed. Nothing is ever installed here.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { l10n } from 'vscode';

/** What a program answered when it was asked for its version; `trouble`: why it told none. */
export interface Told { readonly version?: string; readonly trouble?: string }

/** What finding needs to know of the machine; given, so that it can be tested. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly path: string;
  /** The interpreter that the Python extension has chosen, if there is one. */
  readonly python: string | undefined;
  readonly isExecutable: (file: string) => Promise<boolean>;
  readonly version: (file: string) => Promise<Told>;
}

export interface Found { readonly command: string; readonly version: string }

/** Why there is no server, in words for a person. */
export class NotFound extends Error {}

/** Files that may be the server, the best first. */
export function candidates(setting: string, machine: Machine): string[] {
  if (setting) return [setting];
  const windows = machine.platform === 'win32';
  const paths = windows ? path.win32 : path.posix;
  const name = windows ? 'postil.exe' : 'postil';
  const folders = machine.python ? [paths.dirname(machine.python)] : [];
  folders.push(paths.join(machine.home, '.local', 'bin'));
  folders.push(...machine.path.split(windows ? ';' : ':').filter(Boolean));
  return [...new Set(folders.map((folder) => paths.join(folder, name)))];
}

/** The server, and its version. Throws NotFound, with the first program that is there and does not start. */
export async function find(setting: string, machine: Machine): Promise<Found> {
  let broken = '';
  for (const command of candidates(setting, machine)) {
    if (!await machine.isExecutable(command)) continue;
    const { version, trouble } = await machine.version(command);
    if (version) return { command, version };
    broken ||= l10n.t('{0} does not start, or is no Postil: {1}.', command, trouble ?? l10n.t('it does not tell its version'));
  }
  if (broken) throw new NotFound(broken);
  throw new NotFound(setting ? l10n.t('{0} is not there, or is no program.', setting) : l10n.t('Postil is not installed here.'));
}

export const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(() => true, () => false);

/** What `postil --version` says. */
export const version = (file: string): Promise<Told> =>
  new Promise((resolve) => {
    execFile(file, ['--version'], { timeout: 10_000, windowsHide: true }, (error, out, wrong) => {
      const found = error ? undefined : /postil.*?(\d+\.\d+[\w.]*)/.exec(out)?.[1];
      if (found) resolve({ version: found });
      // The last line of what went wrong says most, that of a missing interpreter included.
      else resolve(error ? { trouble: wrong.trim().split('\n').at(-1) || error.message } : {});
    });
  });
