// labels are what the studio calls fields of requests, which messages mention between backquotes.
const labels = { simulate: "the Simulate view", demand: "Bytes per pair", synthesis: "Topologies" };

export const inLabels = (text) => text.replace(/`([a-z][a-z_]*)`/g, (_, name) => labels[name] || name.replaceAll("_", " "));
