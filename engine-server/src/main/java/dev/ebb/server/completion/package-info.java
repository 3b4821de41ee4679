/** The OpenAI-compatible server for any engine that computes completions. */
@NullMarked
package dev.ebb.server.completion;

import org.jspecify.annotations.NullMarked;
