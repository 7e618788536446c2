// What files and `postil status` say of how clients are wired.
import { parse } from 'jsonc-parser';

/** Whether an `mcp.json` of VS Code names our server, as `postil install vscode` writes it. */
export function holdsServer(text: string): boolean {
  const told = parse(text) as { servers?: Record<string, unknown> } | undefined;
  return told?.servers?.postil !== undefined;
}

/** The clients that `postil status --json` finds here and that are not wired; VS Code has the tools already. */
export function unwired(text: string): string[] {
  const { clients } = JSON.parse(text) as { clients: Record<string, string> };
  return Object.entries(clients).filter(([name, state]) => state === 'not installed' && name !== 'vscode').map(([name]) => name);
}
