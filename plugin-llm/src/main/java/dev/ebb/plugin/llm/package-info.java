/** Policies that were made for the KV cache of language models, one file per paper. */
package dev.ebb.plugin.llm;
