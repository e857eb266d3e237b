"""Why a score is low: errors by type, what each type costs, and which entities are confused."""
