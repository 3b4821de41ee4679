package dev.ebb.host.plugin;

import dev.ebb.spi.PolicyContext;

/** A context of which nothing can be had. */
final class NoContext implements PolicyContext {}
