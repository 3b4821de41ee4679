/** The OpenAI-compatible server for any engine that computes completions. */
package dev.ebb.server.completion;
