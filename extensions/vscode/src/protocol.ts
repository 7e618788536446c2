// The language client's own code: most of what this extension holds, so it is loaded once a server was found.
export { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State } from 'vscode-languageclient/node';
