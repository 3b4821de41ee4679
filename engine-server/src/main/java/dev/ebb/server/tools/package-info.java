/** Function calling: how a chat template describes functions, and how a model calls them. */
@NullMarked
package dev.ebb.server.tools;

import org.jspecify.annotations.NullMarked;
