// What pure modules use of `vscode`: texts with their arguments put in, as the editor does without a translation.
export const l10n = {
  t: (message: string, ...given: (string | number)[]): string => message.replace(/\{(\d+)\}/g, (whole, at: string) => String(given[Number(at)] ?? whole)),
};
