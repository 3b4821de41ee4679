/**
 * The load generator for inference engines: it sends the requests of a trace to a server with
 * OpenAI's API, and measures the answers.
 */
package dev.ebb.host.enginebench;
