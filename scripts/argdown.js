// A development check only: reads a map from standard input with @argdown/core (npm install @argdown/core) and
// prints what it found as JSON. Sleuth itself never runs this.
const {createRequire} = require("module");
const places = [process.env.ARGDOWN_HOME, process.cwd(), __dirname].filter(Boolean);
let core;
for (const place of places) {
  try { core = createRequire(place + "/")("@argdown/core"); break; } catch (error) { core = undefined; }
}
if (!core) { console.error("@argdown/core is not installed"); process.exit(2); }

const input = require("fs").readFileSync(0, "utf8");
const read = () => {
  const app = new core.ArgdownApplication();
  app.addPlugin(new core.ParserPlugin(), "parse-input");
  app.addPlugin(new core.DataPlugin(), "build-model");
  app.addPlugin(new core.ModelPlugin(), "build-model");
  return app.run({process: ["parse-input", "build-model"], input, logLevel: "silent", throwExceptions: false});
};
let result, seconds = Infinity;
for (let round = 0; round < Number(process.argv[2] || 1); round += 1) {
  const started = process.cpuUsage();
  result = read();
  const used = process.cpuUsage(started);
  seconds = Math.min(seconds, (used.user + used.system) / 1e6);
}
const name = end => end && (end.title || null);
console.log(JSON.stringify({
  seconds,
  errors: (result.parserErrors || []).concat(result.lexerErrors || []).map(error => error.message),
  statements: Object.keys(result.statements || {}),
  arguments: Object.fromEntries(Object.entries(result.arguments || {}).map(([title, argument]) =>
    [title, (argument.pcs || []).map(item => ({title: item.title, role: item.role, data: item.data || {}}))])),
  relations: (result.relations || []).map(entry => [entry.relationType, name(entry.from), name(entry.to)]),
}));
