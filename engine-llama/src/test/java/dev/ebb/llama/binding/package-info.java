/** Tests of the binding to llama.cpp with a model that they make. */
@NullMarked
package dev.ebb.llama.binding;

import org.jspecify.annotations.NullMarked;
