// Marks beside the line numbers, for those who want them: off by default, as every line of the margin counts.
import * as vscode from 'vscode';
import type { Watched } from './watched';
import { told } from './tree';

export function register(context: vscode.ExtensionContext, active: Watched): vscode.Disposable[] {
  const type = vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.joinPath(context.extensionUri, 'media', 'gutter.svg'), gutterIconSize: '70%',
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.infoForeground'), overviewRulerLane: vscode.OverviewRulerLane.Right,
  });
  const show = (): void => {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    const wanted = vscode.workspace.getConfiguration('postil', editor.document).get<boolean>('gutter');
    const rows = wanted ? active.rows.filter(({ file, line }) => line > 0 && file === editor.document.uri.fsPath) : [];
    editor.setDecorations(type, rows.map((memory) => ({
      range: new vscode.Range(memory.line - 1, 0, memory.line - 1, 0), hoverMessage: new vscode.MarkdownString().appendText(told(memory)),
    })));
  };
  return [type, active.onDidChange(show), vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('postil.gutter')) show();
  })];
}
