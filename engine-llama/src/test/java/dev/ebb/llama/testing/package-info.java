/** Test fixtures of several packages: a tiny model, written on demand, and a check that it runs. */
package dev.ebb.llama.testing;
