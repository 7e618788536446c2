// A chat model that needs no account. The newest words of the user decide: `TOOL:name {json}` is
// answered with that call, anything else with "stub: ok". What it is asked is noted, a line each,
// in the file that SCRIPTED_MODEL_LOG names.
const fs = require('node:fs');
const vscode = require('vscode');

const SAID = 'stub: ok';
const DIRECTIVE = /TOOL:(\S+) (\{.*?\})(?=\s*(?:$|\n|<))/gs;

function textOf(part) {
  if (part instanceof vscode.LanguageModelToolResultPart) return part.content.map(textOf).join('\n');
  return typeof part.value === 'string' ? part.value : JSON.stringify(part);
}

function answer(messages, tools, progress) {
  const parts = messages.flatMap((message) => [...message.content]);
  const said = parts.map(textOf).join('\n');
  const note = JSON.stringify({ text: said, tools: tools.map((tool) => tool.name) });
  fs.appendFileSync(process.env.SCRIPTED_MODEL_LOG, note + '\n');
  const asked = [...said.matchAll(DIRECTIVE)];
  const done = parts.filter((part) => part instanceof vscode.LanguageModelToolResultPart).length;
  const next = asked.at(-1);
  if (!next || done >= asked.length) return progress.report(new vscode.LanguageModelTextPart(SAID));
  progress.report(new vscode.LanguageModelToolCallPart(`call-${done}`, next[1], JSON.parse(next[2])));
}

exports.activate = (context) => {
  const model = {
    id: 'scripted', name: 'Scripted One', family: 'scripted', version: '1',
    maxInputTokens: 100000, maxOutputTokens: 4096, isUserSelectable: true, isDefault: true,
    capabilities: { toolCalling: true, imageInput: false },
  };
  const provider = {
    provideLanguageModelChatInformation: async () => [model],
    provideLanguageModelChatResponse: async (_, messages, options, progress) =>
      answer(messages, options.tools ?? [], progress),
    provideTokenCount: async (_, text) => Math.ceil(JSON.stringify(text).length / 4),
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('scripted', provider));
};
