package dev.ebb.host.config;

/**
 * {@code ebb.tokens}.
 *
 * @param policy the token policy that prunes sequences
 * @param policies settings of token policies
 */
public record TokensConfig(Choice policy, StrategySettings policies) {}
