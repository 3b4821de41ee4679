@NullMarked
package dev.ebb.host.openai;

import org.jspecify.annotations.NullMarked;
