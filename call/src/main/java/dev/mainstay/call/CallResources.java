package dev.mainstay.call;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.upstream.RouteLease;

/**
 * What one call holds until it has ended.
 *
 * @param reservation what it may spend
 * @param lease keeps the clients of its route open
 * @param memory what it holds of its request and its answers
 */
record CallResources(BudgetReservation reservation, RouteLease lease, CallMemory memory) {}
