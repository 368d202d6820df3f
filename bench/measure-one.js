/** Measures one figure and prints its samples as JSON: the process that `bench.js` starts for each of them. */
import { FIGURES } from "./figures/index.js";

const [name, rounds, mode] = process.argv.slice(2);
const figure = FIGURES.find((known) => known.name === name);
if (figure?.measure === undefined) throw new Error(`there is no figure ${name}`);
console.log(JSON.stringify(await figure.measure({ rounds: Number(rounds), quick: mode === "quick" })));
