// Agents in VS Code get Postil's tools from the editor itself: no file is edited for it.
import * as vscode from 'vscode';
import type { Client } from './client';

export function provideServer(client: Client): vscode.Disposable {
  return vscode.lm.registerMcpServerDefinitionProvider('postil.mcp', {
    onDidChangeMcpServerDefinitions: client.onDidChange,
    provideMcpServerDefinitions: () => {
      const folder = vscode.workspace.workspaceFolders?.[0];
      const wanted = vscode.workspace.getConfiguration('postil').get<boolean>('agents.mcp');
      if (!client.found || !folder || !wanted) return [];
      const { command, version } = client.found;
      const server = new vscode.McpStdioServerDefinition('Postil', command, ['mcp', '--project', folder.uri.fsPath], {}, version);
      server.cwd = folder.uri;
      return [server];
    },
  });
}
