package dev.ebb.llama.server;

import dev.ebb.llama.tools.ToolUse;
import org.jspecify.annotations.Nullable;

/**
 * What an answer must look like.
 *
 * @param grammar the answers that are allowed; null for all
 */
record OutputFormat(@Nullable String grammar, @Nullable ToolUse tools) {}
