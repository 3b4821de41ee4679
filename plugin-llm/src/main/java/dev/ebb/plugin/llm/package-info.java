/** Policies that were made for the KV cache of language models, one file per paper. */
@NullMarked
package dev.ebb.plugin.llm;

import org.jspecify.annotations.NullMarked;
