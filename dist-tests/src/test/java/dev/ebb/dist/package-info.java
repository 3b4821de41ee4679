/** Tests of the built product from the outside: the launcher, real JARs, real files. */
package dev.ebb.dist;
