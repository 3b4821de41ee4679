/** What an operator should do, decided once for the dashboard, the command line and alerts. */
@NullMarked
package dev.ebb.host.admin.advice;

import org.jspecify.annotations.NullMarked;
