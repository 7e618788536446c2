// Where the server is: what the person set, else the places in which tools are installed. Nothing is ever installed here.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';

/** What finding needs to know of the machine; given, so that it can be tested. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly path: string;
  /** The interpreter that the Python extension has chosen, if there is one. */
  readonly python: string | undefined;
  readonly isExecutable: (file: string) => Promise<boolean>;
  readonly version: (file: string) => Promise<string | undefined>;
}

export interface Found { readonly command: string; readonly version: string }

/** Why there is no server, in words for a person. */
export class NotFound extends Error {}

/** Files that may be the server, the best first. */
export function candidates(setting: string, machine: Machine): string[] {
  if (setting) return [setting];
  const windows = machine.platform === 'win32';
  const join = windows ? path.win32.join : path.posix.join;
  const name = windows ? 'postil.exe' : 'postil';
  const folders = machine.python ? [(windows ? path.win32 : path.posix).dirname(machine.python)] : [];
  folders.push(join(machine.home, '.local', 'bin'));
  folders.push(...machine.path.split(windows ? ';' : ':').filter(Boolean));
  return [...new Set(folders.map((folder) => join(folder, name)))];
}

/** The server, and its version. Throws NotFound. */
export async function find(setting: string, machine: Machine): Promise<Found> {
  for (const command of candidates(setting, machine)) {
    if (!await machine.isExecutable(command)) continue;
    const version = await machine.version(command);
    if (version) return { command, version };
    if (setting) throw new NotFound(`${setting} is no Postil: it does not tell its version.`);
  }
  throw new NotFound(setting ? `${setting} is not there, or is no program.` : 'Postil is not installed here.');
}

export const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(() => true, () => false);

/** What `postil --version` says, or undefined. */
export const version = (file: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(file, ['--version'], { timeout: 10_000, windowsHide: true }, (error, out) => {
      resolve(error ? undefined : /postil.*?(\d+\.\d+[\w.]*)/.exec(out)?.[1]);
    });
  });
