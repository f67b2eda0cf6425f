// check_payload.mjs NODE_MODULES < [{"as": "slack.post", "body": …}, …] > [["what is wrong", …], …]
//
// What ncclwhy.notify sends, before what the services themselves publish (npm/package.json pins it):
//   slack.post, slack.update      the types of Slack's Web API and of its blocks
//   teams                         Microsoft's parser of adaptive cards, and its validation
//   jira.text                     Atlassian's parser of Jira's markup; what comes out, by the schema of its documents
//   github.issue, github.comment  the types that GitHub makes from its OpenAPI description
//   pagerduty                     the types of PagerDuty's own client
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const modules = path.resolve(process.argv[2]);
const use = createRequire(path.join(modules, 'x.js'));

// A payload is written as a literal of its type: an unknown property is an error, too.
const github = (name) => `import("@octokit/openapi-types").operations["${name}"]["requestBody"]["content"]["application/json"]`;
const TYPES = {
  // Slack's arguments take any block; KnownBlock is those that it has.
  'slack.post': ['import("@slack/web-api").ChatPostMessageArguments', 'import("@slack/types").KnownBlock[]'],
  'slack.update': ['import("@slack/web-api").ChatUpdateArguments', 'import("@slack/types").KnownBlock[]'],
  'github.issue': [github('issues/create')],
  'github.comment': [github('issues/create-comment')],
  // The client's types lack `client`, which the documentation of the Events API has.
  'pagerduty': ['import("@pagerduty/pdjs/build/src/events").EventPayloadV2 & {client?: string}'],
};

function typed(payloads) {
  const ts = use('typescript');
  const sources = new Map();
  payloads.forEach(({as, body}, i) => {
    if (!TYPES[as]) return;
    const [whole, blocks] = TYPES[as];
    sources.set(path.join(modules, '..', `payload${i}.ts`), `const payload: ${whole} = ${JSON.stringify(body)};\n` +
      (blocks ? `const blocks: ${blocks} = ${JSON.stringify(body.blocks)};\n` : '') + 'export {};\n');
  });
  const options = {strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10};
  const host = ts.createCompilerHost(options);
  const {fileExists, readFile, getSourceFile} = host;
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...more) => sources.has(name) ? ts.createSourceFile(name, sources.get(name), version)
    : getSourceFile(name, version, ...more);
  const program = ts.createProgram([...sources.keys()], options, host);
  const found = payloads.map(() => []);
  for (const problem of ts.getPreEmitDiagnostics(program)) {
    const text = ts.flattenDiagnosticMessageText(problem.messageText, ' ');
    const number = /payload(\d+)\.ts$/.exec(problem.file?.fileName ?? '');
    if (!number) throw new Error(text);  // of the types, not of a payload
    found[Number(number[1])].push(text);
  }
  return found;
}

// What the parser leaves out of what it was given.
function lost(sent, kept, where = '') {
  if (sent === null || typeof sent !== 'object') return [];
  return Object.keys(sent).flatMap((key) => kept === undefined || kept === null || !(key in kept) ? [`${where}/${key} is not known`]
    : lost(sent[key], kept[key], `${where}/${key}`));
}

function card(body) {
  const cards = use('adaptivecards/dist/adaptivecards.js');
  return body.attachments.flatMap(({contentType, content}) => {
    if (contentType !== 'application/vnd.microsoft.card.adaptive') return [`${contentType} is no adaptive card`];
    const parsed = new cards.AdaptiveCard(), context = new cards.SerializationContext();
    parsed.parse(content, context);
    const said = Array.from({length: context.eventCount}, (_, i) => context.getEventAt(i).message);
    return [...said, ...parsed.validateProperties().validationEvents.map((event) => event.message), ...lost(content, parsed.toJSON())];
  });
}

let isDocument;
function markup(text) {
  const {WikiMarkupTransformer} = use('@atlaskit/editor-wikimarkup-transformer');
  const {JSONTransformer} = use('@atlaskit/editor-json-transformer');
  const Ajv = use('ajv-draft-04').default;
  isDocument ??= new Ajv({strict: false}).compile(use('@atlaskit/adf-schema/dist/json-schema/v1/full.json'));
  const document = new JSONTransformer().encode(new WikiMarkupTransformer().parse(text));
  const problems = isDocument(document) ? [] : isDocument.errors.map((error) => `${error.instancePath} ${error.message}`);
  // All that a log says is in blocks of code; outside of them stand our own headings, words and at most the link.
  const marked = (node) => (node.content ?? []).flatMap((part) => [...(part.marks ?? []).map((mark) => mark.type), ...marked(part)]);
  document.content.forEach((node, i) => {
    if (!['codeBlock', 'heading', 'paragraph'].includes(node.type)) problems.push(`a ${node.type} came out of the text`);
    const isLink = i === document.content.length - 1 && node.type === 'paragraph';
    if (marked(node).some((mark) => !(isLink && mark === 'link'))) problems.push(`text became ${marked(node).join(', ')}`);
  });
  return problems;
}

const payloads = JSON.parse(fs.readFileSync(0, 'utf8'));
const found = typed(payloads);
payloads.forEach(({as, body}, i) => {
  if (as === 'teams') found[i].push(...card(body));
  else if (as === 'jira.text') found[i].push(...markup(body));
  else if (!TYPES[as]) found[i].push(`nothing is published of ${as}`);
});
console.log(JSON.stringify(found));
