#pragma once
/// Internal: what is sent in exchanges of shadow edges, by classes (docs/model.md §5).

#include "class_mapping.h"

namespace gridcast::model {

/// What each class sends in an exchange of edges or of old values.
void find_messages(const ClassMapping& mapping, const CommunicationSpec& spec,
                   network::ClassExchange& exchange);

}  // namespace gridcast::model
