// What files and `postil status` say of how clients are wired.
import { parse } from 'jsonc-parser';

/** Whether an `mcp.json` of VS Code names our server, as `postil install vscode` writes it. */
export function holdsServer(text: string): boolean {
  const told = parse(text) as { servers?: Record<string, unknown> } | undefined;
  return told?.servers?.postil !== undefined;
}

/** The clients that `postil status --json` finds here and that are wired nowhere; VS Code has the tools already. */
export function unwired(text: string): string[] {
  const { clients } = JSON.parse(text) as { clients: Record<string, string> };
  // Wired in this project alone it is `NAME (project)`.
  const isWired = (name: string): boolean =>
    Object.entries(clients).some(([one, state]) => (one === name || one.startsWith(`${name} (`)) && state !== 'not installed');
  return Object.keys(clients).filter((name) => !name.includes(' ') && name !== 'vscode' && !isWired(name));
}
