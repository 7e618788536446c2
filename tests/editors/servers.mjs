// The language servers of this run: those that have its home.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

export function servers() {
  const found = execFileSync('sh', ['-c', 'pgrep -f " lsp" || true']).toString().split('\n').filter(Boolean).map(Number);
  return found.filter((pid) => {
    try { return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${process.env.HOME}\0`); } catch { return false; }
  });
}
