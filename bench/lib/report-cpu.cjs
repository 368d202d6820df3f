/** Loaded before a measured program (`node --require`): says on its way out what CPU time it took, as the last line. */
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`\n${(user + system) / 1e6}`);
});
