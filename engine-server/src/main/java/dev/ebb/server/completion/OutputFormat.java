package dev.ebb.server.completion;

import dev.ebb.server.tools.ToolUse;
import org.jspecify.annotations.Nullable;

/**
 * What an answer must look like.
 *
 * @param grammar the answers that are allowed; null for all
 */
record OutputFormat(@Nullable String grammar, @Nullable ToolUse tools) {}
